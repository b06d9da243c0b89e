// Roles and clusters, assembled: register requests are heard, nothing is serialised or spilled.
// REQUIRES: ptxas, softmax-compile
// RUN: softmax-compile %S/roles.mlir --from=gpu --emit=ptx --chip=sm_90a -o %t.roles
// RUN: FileCheck %s --check-prefix=ROLES < %t.roles
// RUN: %assemble sm_90a %t.roles
// RUN: softmax-compile %S/cluster.mlir --from=gpu --emit=ptx --chip=sm_90a -o %t.cluster
// RUN: FileCheck %s --check-prefix=CLUSTER < %t.cluster
// RUN: %assemble sm_90a %t.cluster

// ROLES: .reqntid 384
// ROLES-DAG: setmaxnreg.dec.sync.aligned.u32{{.*}}24
// ROLES-DAG: setmaxnreg.inc.sync.aligned.u32{{.*}}240
// ROLES-DAG: bar.arrive
// CLUSTER: .reqnctapercluster 2
// CLUSTER: mapa.shared::cluster
// CLUSTER: st.shared::cluster
