//===- StencilCanonicalization.cpp - what --canonicalize does to operations -===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Removes unused and duplicate operands and results of applies and combines, and folds a combine
// that takes all points from one side. Dead ops are removed through their memory effects. No
// pattern looks into a point function.
//
//===----------------------------------------------------------------------===//

#include "Stencil/OpSupport.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::stencil;

//===----------------------------------------------------------------------===//
// apply
//===----------------------------------------------------------------------===//

namespace {

/// Removes operands that the region does not use, and duplicates.
struct SimplifyApplyArguments : OpRewritePattern<ApplyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ApplyOp op, PatternRewriter &rewriter) const override {
    Block &body = op.getRegion().front();
    llvm::BitVector dropped(body.getNumArguments());
    llvm::SmallDenseMap<Value, BlockArgument> first;
    SmallVector<Value> kept;
    for (auto [operand, argument] : llvm::zip_equal(op.getArgs(), body.getArguments())) {
      if (argument.use_empty()) {
        dropped.set(argument.getArgNumber());
        continue;
      }
      auto [entry, isNew] = first.try_emplace(operand, argument);
      if (isNew) {
        kept.push_back(operand);
        continue;
      }
      rewriter.replaceAllUsesWith(argument, entry->second);
      dropped.set(argument.getArgNumber());
    }
    if (dropped.none())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      body.eraseArguments(dropped);
      op.getArgsMutable().assign(kept);
    });
    return success();
  }
};

/// Removes unused results. The last one is kept: a dead apply is removed as a whole, through its
/// effects.
struct DropUnusedApplyResults : OpRewritePattern<ApplyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ApplyOp op, PatternRewriter &rewriter) const override {
    auto isUsed = [](Value result) { return !result.use_empty(); };
    size_t numUsed = llvm::count_if(op.getRes(), isUsed);
    if (numUsed == 0 || numUsed == op.getRes().size())
      return failure();

    auto end = cast<ReturnOp>(op.getRegion().front().getTerminator());
    // An unrolled return has the values of several points for each result.
    size_t numPoints = end.getArg().size() / op.getRes().size();
    SmallVector<Type> types;
    SmallVector<Value> values;
    for (auto [number, result] : llvm::enumerate(op.getRes())) {
      if (!isUsed(result))
        continue;
      types.push_back(result.getType());
      llvm::append_range(values, end.getArg().slice(number * numPoints, numPoints));
    }
    rewriter.modifyOpInPlace(end, [&] { end.getArgMutable().assign(values); });

    auto narrow = ApplyOp::create(rewriter, op.getLoc(), types, op.getArgs(), op.getDest(),
                                  op.getBoundsAttr());
    narrow->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getRegion(), narrow.getRegion(), narrow.getRegion().end());
    unsigned next = 0;
    for (Value result : op.getRes())
      if (isUsed(result))
        rewriter.replaceAllUsesWith(result, narrow.getRes()[next++]);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void ApplyOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyApplyArguments, DropUnusedApplyResults>(context);
}

//===----------------------------------------------------------------------===//
// buffer
//===----------------------------------------------------------------------===//

/// A buffer of something that is in memory already. Only a field result can have such an operand.
OpFoldResult BufferOp::fold(FoldAdaptor) {
  auto inner = getTemp().getDefiningOp<BufferOp>();
  if (!inner)
    return {};
  getTempMutable().assign(inner.getTemp());
  return getRes();
}

//===----------------------------------------------------------------------===//
// combine
//===----------------------------------------------------------------------===//

namespace {

/// The temps that a result takes its points from; null for a side without one.
struct Sides {
  Value lower, upper;
};

} // namespace

static Sides sidesOf(CombineOp op, size_t result) {
  size_t numPairs = op.getLower().size(), numBelow = op.getLowerext().size();
  if (result < numPairs)
    return {op.getLower()[result], op.getUpper()[result]};
  if (result < numPairs + numBelow)
    return {op.getLowerext()[result - numPairs], Value()};
  return {Value(), op.getUpperext()[result - numPairs - numBelow]};
}

/// The one temp that all points of a result come from; null if there is none.
static Value onlySource(CombineOp op, size_t result) {
  auto [lower, upper] = sidesOf(op, result);
  if (lower == upper)
    return lower;
  BoundsAttr bounds = cast<TempType>(op.getCombined()[result].getType()).getBounds();
  if (!bounds)
    return {};
  int64_t dim = op.getDimAttr().getInt(), index = op.getIndexAttr().getInt();
  if (index >= bounds.getUpper()[dim])
    return lower;
  return index <= bounds.getLower()[dim] ? upper : Value();
}

/// Whether an op stays valid if an operand's temp gets larger bounds.
static bool mayReadWider(OpOperand &use) {
  if (isa<StoreOp, CombineOp>(use.getOwner()))
    return true;
  auto apply = dyn_cast<ApplyOp>(use.getOwner());
  // Other users of the argument, such as calls, may require the exact type.
  return apply && llvm::all_of(apply.getRegion().getArgument(use.getOperandNumber()).getUsers(),
                               llvm::IsaPred<AccessOp, DynAccessOp>);
}

/// Whether one temp can replace another everywhere.
static bool mayReplace(Value result, Value source) {
  auto resultType = cast<TempType>(result.getType());
  auto sourceType = cast<TempType>(source.getType());
  Operation *combine = result.getDefiningOp();
  bool isBuffered = llvm::any_of(result.getUsers(), llvm::IsaPred<BufferOp>);
  // The operand of a buffer must be computed, and have no other user.
  if (isBuffered && (!isa_and_nonnull<ApplyOp, CombineOp>(source.getDefiningOp()) ||
                     llvm::any_of(source.getUsers(), [&](Operation *it) { return it != combine; })))
    return false;
  if (resultType == sourceType)
    return true;
  return resultType.hasBounds() && sourceType.hasBounds() &&
         resultType.getElementType() == sourceType.getElementType() &&
         sourceType.getBounds().contains(resultType.getBounds()) &&
         llvm::all_of(result.getUses(), mayReadWider);
}

static void replace(Value result, Value source, PatternRewriter &rewriter) {
  for (OpOperand &use : llvm::make_early_inc_range(result.getUses()))
    rewriter.modifyOpInPlace(use.getOwner(), [&] {
      if (auto apply = dyn_cast<ApplyOp>(use.getOwner()))
        apply.getRegion().getArgument(use.getOperandNumber()).setType(source.getType());
      use.set(source);
    });
}

namespace {

/// Replaces a result by a side that provides all of its points.
struct FoldCombineToSide : OpRewritePattern<CombineOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CombineOp op, PatternRewriter &rewriter) const override {
    bool hasChanged = false;
    for (auto [number, result] : llvm::enumerate(op.getCombined())) {
      Value source = onlySource(op, number);
      if (result.use_empty() || !source || !mayReplace(result, source))
        continue;
      replace(result, source, rewriter);
      hasChanged = true;
    }
    return success(hasChanged);
  }
};

/// Removes unused results, with their operands.
struct DropUnusedCombineResults : OpRewritePattern<CombineOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CombineOp op, PatternRewriter &rewriter) const override {
    auto isUsed = [](Value result) { return !result.use_empty(); };
    if (llvm::none_of(op.getCombined(), isUsed) || llvm::all_of(op.getCombined(), isUsed))
      return failure();
    SmallVector<Type> types;
    SmallVector<Value> lower, upper, lowerext, upperext, kept;
    for (auto [number, result] : llvm::enumerate(op.getCombined())) {
      if (!isUsed(result))
        continue;
      auto [below, above] = sidesOf(op, number);
      if (below)
        (above ? lower : lowerext).push_back(below);
      if (above)
        (below ? upper : upperext).push_back(above);
      types.push_back(result.getType());
      kept.push_back(result);
    }
    SmallVector<Value> parts;
    SmallVector<int32_t> sizes;
    for (const SmallVector<Value> &group : {lower, upper, lowerext, upperext}) {
      llvm::append_range(parts, group);
      sizes.push_back(static_cast<int32_t>(group.size()));
    }
    auto narrow = CombineOp::create(rewriter, op.getLoc(), types, op.getDimAttr(),
                                    op.getIndexAttr(), parts);
    narrow->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    narrow->setDiscardableAttr(CombineOp::kSegments, rewriter.getDenseI32ArrayAttr(sizes));
    for (auto [old, result] : llvm::zip_equal(kept, narrow.getCombined()))
      rewriter.replaceAllUsesWith(old, result);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void CombineOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldCombineToSide, DropUnusedCombineResults>(context);
}
