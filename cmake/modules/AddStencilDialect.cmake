# add_stencil_dialect(<library> FOLDER <folder> NAME <dialect> SOURCES <cpp>...)
#
# One dialect: its generated headers from include/<folder>/<folder>{Dialect,Attributes,Types,Ops}.td
# and one static, position independent library. MLIR itself comes from libMLIR.so at the last link.
function(add_stencil_dialect library)
  cmake_parse_arguments(ARG "" "FOLDER;NAME" "SOURCES" ${ARGN})
  set(include "${CMAKE_CURRENT_SOURCE_DIR}/include")
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/include/${ARG_FOLDER}")
  file(MAKE_DIRECTORY "${generated}")
  include_directories("${include}")
  set(outputs "")
  function(generate name source)
    set(LLVM_TARGET_DEFINITIONS "${include}/${ARG_FOLDER}/${source}.td")
    set(output "${generated}/${name}.inc")
    file(GLOB depends "${include}/${ARG_FOLDER}/*.td")
    add_custom_command(OUTPUT "${output}"
      COMMAND "${STENCIL_LLVM_PREFIX}/bin/mlir-tblgen" ${ARGN} -I "${include}"
              -I "${STENCIL_LLVM_PREFIX}/include" "${LLVM_TARGET_DEFINITIONS}" -o "${output}"
      DEPENDS ${depends} VERBATIM)
    set(outputs ${outputs} "${output}" PARENT_SCOPE)
  endfunction()
  set(dialect "${ARG_FOLDER}")
  generate(${dialect}Dialect.h ${dialect}Ops --gen-dialect-decls --dialect=${ARG_NAME})
  generate(${dialect}Dialect.cpp ${dialect}Ops --gen-dialect-defs --dialect=${ARG_NAME})
  generate(${dialect}Attributes.h ${dialect}Ops --gen-attrdef-decls --attrdefs-dialect=${ARG_NAME})
  generate(${dialect}Attributes.cpp ${dialect}Ops --gen-attrdef-defs --attrdefs-dialect=${ARG_NAME})
  generate(${dialect}Types.h ${dialect}Ops --gen-typedef-decls --typedefs-dialect=${ARG_NAME})
  generate(${dialect}Types.cpp ${dialect}Ops --gen-typedef-defs --typedefs-dialect=${ARG_NAME})
  generate(${dialect}Ops.h ${dialect}Ops --gen-op-decls)
  generate(${dialect}Ops.cpp ${dialect}Ops --gen-op-defs)
  add_library(${library} STATIC ${ARG_SOURCES} ${outputs})
  target_include_directories(${library} PUBLIC "${include}" "${CMAKE_CURRENT_BINARY_DIR}/include")
endfunction()
