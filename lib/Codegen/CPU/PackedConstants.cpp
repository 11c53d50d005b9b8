//===- PackedConstants.cpp - Constant weights, packed ---------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedConstants.h"
#include "xfmr/Codegen/CPU/PanelLayout.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::xfmr;

/// The bytes of the elements of `constant`; those of one for a splat.
static ArrayRef<char> getBytes(ElementsAttr constant) {
  if (auto dense = dyn_cast<DenseElementsAttr>(constant))
    return dense.getRawData();
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? blob->getData() : ArrayRef<char>();
}

FailureOr<ElementsAttr> mlir::xfmr::packConstant(PackWeightOp op,
                                                 ElementsAttr constant) {
  MemRefType weight = op.getWeightType(), packed = op.getPackedType();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(weight.getStridesAndOffset(strides, offset)))
    return failure();
  int64_t elementBytes = weight.getElementTypeBitWidth() / 8;
  ArrayRef<char> bytes = getBytes(constant);
  bool isSplat = constant.isSplat();
  int64_t numElements = isSplat ? 1 : constant.getNumElements();
  if (static_cast<int64_t>(bytes.size()) != numElements * elementBytes)
    return failure();

  auto type = RankedTensorType::get(packed.getShape(), packed.getElementType());
  int64_t inputs = weight.getDimSize(op.getInputDim());
  int64_t outputs = weight.getDimSize(op.getOutputDim());
  if (isSplat && type.getNumElements() == inputs * outputs)
    return ElementsAttr(DenseElementsAttr::getFromRawBuffer(type, bytes));

  // A blob is neither copied nor compared with all others, as attributes are.
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(
      type.getNumElements() * elementBytes, kPackedAlignment);
  MutableArrayRef<char> data = blob.getMutableData();
  llvm::fill(data, 0);
  int64_t columns = op.getColumns(), group = op.getGroup();
  int64_t panel = packed.getDimSize(1) * columns * group;
  int64_t inputStride = strides[op.getInputDim()];
  int64_t outputStride = strides[op.getOutputDim()];
  for (int64_t output = 0; output < outputs; ++output)
    for (int64_t input = 0; input < inputs; ++input) {
      int64_t from =
          isSplat ? 0 : offset + input * inputStride + output * outputStride;
      int64_t to = output / columns * panel +
                   (input / group * columns + output % columns) * group +
                   input % group;
      std::memcpy(&data[to * elementBytes], &bytes[from * elementBytes],
                  elementBytes);
    }
  if (isa<DenseElementsAttr>(constant))
    return ElementsAttr(DenseElementsAttr::getFromRawBuffer(type, data));
  return ElementsAttr(
      DenseResourceElementsAttr::get(type, "packed_weight", std::move(blob)));
}
