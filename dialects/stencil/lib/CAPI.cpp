//===- CAPI.cpp - the stencil dialect in C --------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C functions wrap the C++ classes one to one. Only the plan verifier holds state: one pointer
// for the whole process, since contexts come and go while the schema is part of the program.
//
//===----------------------------------------------------------------------===//

#include "Stencil-c/Stencil.h"

#include "Stencil/StencilDialect.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"

#include <atomic>

using namespace mlir;
using namespace mlir::stencil;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Stencil, stencil, mlir::stencil::StencilDialect)

/// Where faults of values made by C callers are reported: they have no location.
static auto emitAtUnknown(MLIRContext *context) {
  return [context] { return emitError(UnknownLoc::get(context)); };
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool stencilTypeIsAField(MlirType type) { return isa<FieldType>(unwrap(type)); }

bool stencilTypeIsATemp(MlirType type) { return isa<TempType>(unwrap(type)); }

bool stencilTypeIsAResult(MlirType type) { return isa<stencil::ResultType>(unwrap(type)); }

intptr_t stencilTypeGetRank(MlirType type) { return cast<GridType>(unwrap(type)).getRank(); }

bool stencilTypeHasBounds(MlirType type) { return cast<GridType>(unwrap(type)).hasBounds(); }

int64_t stencilTypeGetLower(MlirType type, intptr_t dim) {
  return cast<GridType>(unwrap(type)).getBounds().getLower()[dim];
}

int64_t stencilTypeGetUpper(MlirType type, intptr_t dim) {
  return cast<GridType>(unwrap(type)).getBounds().getUpper()[dim];
}

MlirType stencilTypeGetElement(MlirType type) {
  if (auto result = dyn_cast<stencil::ResultType>(unwrap(type)))
    return wrap(result.getElementType());
  return wrap(cast<GridType>(unwrap(type)).getElementType());
}

template <typename GridTy>
static MlirType getGridType(MlirContext cContext, intptr_t rank, const int64_t *lower,
                            const int64_t *upper, MlirType element) {
  MLIRContext *context = unwrap(cContext);
  auto emitError = emitAtUnknown(context);
  BoundsAttr bounds;
  if (lower && upper) {
    ArrayRef<int64_t> lowerValues(lower, rank), upperValues(upper, rank);
    bounds = BoundsAttr::getChecked(emitError, context, lowerValues, upperValues);
    if (!bounds)
      return {nullptr};
  }
  return wrap(Type(GridTy::getChecked(emitError, context, static_cast<unsigned>(rank), bounds,
                                      unwrap(element))));
}

MlirType stencilFieldTypeGet(MlirContext context, intptr_t rank, const int64_t *lower,
                             const int64_t *upper, MlirType element) {
  return getGridType<FieldType>(context, rank, lower, upper, element);
}

MlirType stencilTempTypeGet(MlirContext context, intptr_t rank, const int64_t *lower,
                            const int64_t *upper, MlirType element) {
  return getGridType<TempType>(context, rank, lower, upper, element);
}

MlirType stencilResultTypeGet(MlirType element) {
  MLIRContext *context = unwrap(element).getContext();
  return wrap(
      Type(stencil::ResultType::getChecked(emitAtUnknown(context), context, unwrap(element))));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

bool stencilAttributeIsAIndex(MlirAttribute attribute) { return isa<IndexAttr>(unwrap(attribute)); }

intptr_t stencilIndexAttrGetSize(MlirAttribute index) {
  return cast<IndexAttr>(unwrap(index)).size();
}

int64_t stencilIndexAttrGetValue(MlirAttribute index, intptr_t dim) {
  return cast<IndexAttr>(unwrap(index))[dim];
}

MlirAttribute stencilIndexAttrGet(MlirContext cContext, intptr_t size, const int64_t *values) {
  MLIRContext *context = unwrap(cContext);
  return wrap(Attribute(
      IndexAttr::getChecked(emitAtUnknown(context), context, ArrayRef<int64_t>(values, size))));
}

bool stencilAttributeIsABounds(MlirAttribute attribute) {
  return isa<BoundsAttr>(unwrap(attribute));
}

intptr_t stencilBoundsAttrGetRank(MlirAttribute bounds) {
  return cast<BoundsAttr>(unwrap(bounds)).getRank();
}

int64_t stencilBoundsAttrGetLower(MlirAttribute bounds, intptr_t dim) {
  return cast<BoundsAttr>(unwrap(bounds)).getLower()[dim];
}

int64_t stencilBoundsAttrGetUpper(MlirAttribute bounds, intptr_t dim) {
  return cast<BoundsAttr>(unwrap(bounds)).getUpper()[dim];
}

MlirAttribute stencilBoundsAttrGet(MlirContext cContext, intptr_t rank, const int64_t *lower,
                                   const int64_t *upper) {
  MLIRContext *context = unwrap(cContext);
  return wrap(Attribute(BoundsAttr::getChecked(emitAtUnknown(context), context,
                                               ArrayRef<int64_t>(lower, rank),
                                               ArrayRef<int64_t>(upper, rank))));
}

bool stencilAttributeIsAPlan(MlirAttribute attribute) { return isa<PlanAttr>(unwrap(attribute)); }

MlirAttribute stencilPlanAttrGet(MlirContext cContext, MlirAttribute dictionary) {
  MLIRContext *context = unwrap(cContext);
  return wrap(Attribute(PlanAttr::getChecked(emitAtUnknown(context), context,
                                             dyn_cast<DictionaryAttr>(unwrap(dictionary)))));
}

MlirAttribute stencilPlanAttrGetDictionary(MlirAttribute plan) {
  return wrap(Attribute(cast<PlanAttr>(unwrap(plan)).getEntries()));
}

bool stencilAttributeIsAProgramPlan(MlirAttribute attribute) {
  return isa<ProgramPlanAttr>(unwrap(attribute));
}

MlirAttribute stencilProgramPlanAttrGet(MlirContext cContext, MlirAttribute kernels) {
  MLIRContext *context = unwrap(cContext);
  return wrap(Attribute(ProgramPlanAttr::getChecked(emitAtUnknown(context), context,
                                                    cast<ArrayAttr>(unwrap(kernels)))));
}

MlirAttribute stencilProgramPlanAttrGetKernels(MlirAttribute plan) {
  return wrap(Attribute(cast<ProgramPlanAttr>(unwrap(plan)).getKernels()));
}

/// The C caller's schema, called by the C++ one that setPlanVerifier() takes.
static std::atomic<StencilPlanVerifier> cPlanVerifier = nullptr;

static bool verifyThroughC(DictionaryAttr entries, function_ref<void(StringRef)> emit) {
  StencilPlanVerifier verifier = cPlanVerifier;
  if (!verifier)
    return true;
  auto forward = [](MlirStringRef message, void *userData) {
    (*static_cast<function_ref<void(StringRef)> *>(userData))(unwrap(message));
  };
  return verifier(wrap(Attribute(entries)), forward, &emit);
}

void stencilSetPlanVerifier(StencilPlanVerifier verifier) {
  cPlanVerifier = verifier;
  setPlanVerifier(verifier ? verifyThroughC : nullptr);
}
