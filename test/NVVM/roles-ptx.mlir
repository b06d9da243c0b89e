// Roles, clusters and tensor stores, assembled: register requests are heard, nothing is serialised or spilled.
// REQUIRES: ptxas, softmax-compile
// RUN: softmax-compile %S/roles.mlir --from=gpu --emit=ptx --chip=sm_90a -o %t.roles
// RUN: FileCheck %s --check-prefix=ROLES < %t.roles
// RUN: %assemble sm_90a %t.roles
// RUN: softmax-compile %S/cluster.mlir --from=gpu --emit=ptx --chip=sm_90a -o %t.cluster
// RUN: FileCheck %s --check-prefix=CLUSTER < %t.cluster
// RUN: %assemble sm_90a %t.cluster
// RUN: softmax-compile %S/tensor-stores.mlir --from=gpu --emit=ptx --chip=sm_90a -o %t.stores
// RUN: FileCheck %s --check-prefix=STORES < %t.stores
// RUN: %assemble sm_90a %t.stores

// ROLES: .reqntid 384
// ROLES-DAG: setmaxnreg.dec.sync.aligned.u32{{.*}}24
// ROLES-DAG: setmaxnreg.inc.sync.aligned.u32{{.*}}240
// ROLES-DAG: bar.arrive
// CLUSTER: .reqnctapercluster 2
// CLUSTER: mapa.shared::cluster
// CLUSTER: st.shared::cluster
// STORES: cp.async.bulk.wait_group.read 0
// STORES: bar.warp.sync
// STORES-COUNT-8: stmatrix.sync.aligned.m8n8.x4.shared.b16
// STORES: fence.proxy.async.shared::cta
// STORES: bar.warp.sync
// STORES-COUNT-2: cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group
// STORES: cp.async.bulk.commit_group
// STORES: cp.async.bulk.wait_group.read 0
