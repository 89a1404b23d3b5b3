//===- Stencil.h - the stencil dialect in C -------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C API of the dialect's types and attributes. Queries expect a value of the kind they name (see
// the `IsA` functions) and a dimension below its rank. Constructors verify their arguments: on a
// fault they emit a diagnostic at an unknown location and return null.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_C_STENCIL_H
#define STENCIL_C_STENCIL_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Stencil, stencil);

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Whether a type is `!stencil.field`.
MLIR_CAPI_EXPORTED bool stencilTypeIsAField(MlirType type);

/// Whether a type is `!stencil.temp`.
MLIR_CAPI_EXPORTED bool stencilTypeIsATemp(MlirType type);

/// Whether a type is `!stencil.result`.
MLIR_CAPI_EXPORTED bool stencilTypeIsAResult(MlirType type);

/// Number of dimensions of a field or temp.
MLIR_CAPI_EXPORTED intptr_t stencilTypeGetRank(MlirType fieldOrTemp);

/// Whether the bounds of a field or temp are known.
MLIR_CAPI_EXPORTED bool stencilTypeHasBounds(MlirType fieldOrTemp);

/// First coordinate of a field or temp whose bounds are known.
MLIR_CAPI_EXPORTED int64_t stencilTypeGetLower(MlirType fieldOrTemp, intptr_t dim);

/// First coordinate beyond a field or temp whose bounds are known.
MLIR_CAPI_EXPORTED int64_t stencilTypeGetUpper(MlirType fieldOrTemp, intptr_t dim);

/// Element type of a field, temp or result.
MLIR_CAPI_EXPORTED MlirType stencilTypeGetElement(MlirType type);

/// A field. `lower` and `upper` have `rank` values each; both null means unknown bounds.
MLIR_CAPI_EXPORTED MlirType stencilFieldTypeGet(MlirContext context, intptr_t rank,
                                                const int64_t *lower, const int64_t *upper,
                                                MlirType element);

/// A temp. `lower` and `upper` have `rank` values each; both null means unknown bounds.
MLIR_CAPI_EXPORTED MlirType stencilTempTypeGet(MlirContext context, intptr_t rank,
                                               const int64_t *lower, const int64_t *upper,
                                               MlirType element);

/// What `stencil.store_result` gives for an element type.
MLIR_CAPI_EXPORTED MlirType stencilResultTypeGet(MlirType element);

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Whether an attribute is `#stencil.index`.
MLIR_CAPI_EXPORTED bool stencilAttributeIsAIndex(MlirAttribute attribute);

/// Number of values, one per dimension.
MLIR_CAPI_EXPORTED intptr_t stencilIndexAttrGetSize(MlirAttribute index);

/// Value of one dimension.
MLIR_CAPI_EXPORTED int64_t stencilIndexAttrGetValue(MlirAttribute index, intptr_t dim);

/// An index of `size` values.
MLIR_CAPI_EXPORTED MlirAttribute stencilIndexAttrGet(MlirContext context, intptr_t size,
                                                     const int64_t *values);

/// Whether an attribute is `#stencil.bounds`.
MLIR_CAPI_EXPORTED bool stencilAttributeIsABounds(MlirAttribute attribute);

/// Number of dimensions.
MLIR_CAPI_EXPORTED intptr_t stencilBoundsAttrGetRank(MlirAttribute bounds);

/// First coordinate of one dimension.
MLIR_CAPI_EXPORTED int64_t stencilBoundsAttrGetLower(MlirAttribute bounds, intptr_t dim);

/// First coordinate beyond one dimension.
MLIR_CAPI_EXPORTED int64_t stencilBoundsAttrGetUpper(MlirAttribute bounds, intptr_t dim);

/// A box from `rank` lower and `rank` upper coordinates.
MLIR_CAPI_EXPORTED MlirAttribute stencilBoundsAttrGet(MlirContext context, intptr_t rank,
                                                      const int64_t *lower, const int64_t *upper);

/// Whether an attribute is `#stencil.plan`.
MLIR_CAPI_EXPORTED bool stencilAttributeIsAPlan(MlirAttribute attribute);

/// A plan of a dictionary's entries.
MLIR_CAPI_EXPORTED MlirAttribute stencilPlanAttrGet(MlirContext context, MlirAttribute dictionary);

/// The entries of a plan, as a dictionary.
MLIR_CAPI_EXPORTED MlirAttribute stencilPlanAttrGetDictionary(MlirAttribute plan);

/// Whether an attribute is `#stencil.program_plan`.
MLIR_CAPI_EXPORTED bool stencilAttributeIsAProgramPlan(MlirAttribute attribute);

/// A program plan of an array of kernels.
MLIR_CAPI_EXPORTED MlirAttribute stencilProgramPlanAttrGet(MlirContext context,
                                                           MlirAttribute kernels);

/// The kernels of a program plan, as an array of dictionaries.
MLIR_CAPI_EXPORTED MlirAttribute stencilProgramPlanAttrGetKernels(MlirAttribute plan);

/// Checks a plan's dictionary and says whether it is one. Every fault is reported by a call of
/// `emit` with a message and `userData`. It may be called from several threads at once.
typedef bool (*StencilPlanVerifier)(MlirAttribute dictionary,
                                    void (*emit)(MlirStringRef message, void *userData),
                                    void *userData);

/// Installs the schema that plans must follow, for the whole process; null removes it. Without a
/// schema every dictionary is a plan.
MLIR_CAPI_EXPORTED void stencilSetPlanVerifier(StencilPlanVerifier verifier);

#ifdef __cplusplus
}
#endif

#endif // STENCIL_C_STENCIL_H
