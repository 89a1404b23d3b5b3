// Snapshots of a run are whole in a Zarr store, bit for bit, and a run goes on from them.
//
// REQUIRES: zarr
// RUN: cd %S/../../../tools/python/tests/optional && %private-python -m unittest test_zarr 2>&1 | FileCheck %s
//
// CHECK: {{^}}Ran {{[0-9]+}} tests
// CHECK: {{^}}OK{{$}}
