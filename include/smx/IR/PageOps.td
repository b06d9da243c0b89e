//===- PageOps.td - sequences in pages ----------------------*- tablegen -*-===//
#ifndef SMX_IR_PAGEOPS_TD
#define SMX_IR_PAGEOPS_TD

include "smx/IR/SpecOps.td"

def Smx_PagedOp : Smx_SpecOp<"paged"> {
  let summary = "sequences whose pages lie anywhere";
  let description = [{
    `result[b, h, j, d] = pages[table[b, j / page], j mod page, h, d]` for `j < lengths[b]`, where `page` is the
    extent of a page. Behind the length nothing of the table is used, and the result is whatever lies there: a mask
    (`#smx.key_lengths`) hides it from attention. In front of it, a number outside of `[0, pages)` is an error, which
    the evaluator reports; compiled code reads what the table says.

    Attention reads tiles of pages in place: the tile of keys divides the page.

    B1: there are pages of `[pages, page, heads, dim]`, with a static extent of a page of at least 1.
    B2: table and lengths have signless integers of more than 1 bit or index, of `[batch, pages of a sequence]`
        and `[batch]`.
    B3: the result is `[batch, heads, keys, dim]`, with the elements of the pages, and as many keys as the
        pages of a sequence have.

    ```mlir
    %k = smx.paged %pages by(%table, %lengths : tensor<2x12xi32>, tensor<2xi32>) : tensor<64x16x8x128xbf16> -> tensor<2x8x192x128xbf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$pages, AnyRankedTensor:$table, AnyRankedTensor:$lengths);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $pages `by` `(` $table `,` $lengths `:` type($table) `,` type($lengths) `)` attr-dict
    `:` type($pages) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Keys of a page.
    int64_t getPageExtent() { return ::llvm::cast<::mlir::RankedTensorType>(getPages().getType()).getDimSize(1); }
    /// The gather that the op stands for, as one elementwise op.
    ::mlir::Value expand(::mlir::OpBuilder &builder);
  }];
}

#endif // SMX_IR_PAGEOPS_TD
