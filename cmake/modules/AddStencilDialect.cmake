# add_stencil_dialect(<library> FOLDER <folder> NAME <dialect> [USES <library>] SOURCES <cpp>...)
#
# One dialect: its generated headers from include/<folder>/<folder>Ops.td, which includes the other
# definitions, and from <folder>Interfaces.td where there is one; one static, position independent
# library, which `cmake --install` puts under a prefix with its headers and definitions. MLIR itself
# comes from libMLIR.so at the last link. USES is the library of another
# dialect whose attributes, types or interfaces this one has in its operations.
function(add_stencil_dialect library)
  cmake_parse_arguments(ARG "" "FOLDER;NAME;USES" "SOURCES" ${ARGN})
  set(include "${CMAKE_CURRENT_SOURCE_DIR}/include")
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/include/${ARG_FOLDER}")
  file(MAKE_DIRECTORY "${generated}")
  include_directories("${include}")
  set(includes "${include}")
  if(ARG_USES)
    get_target_property(used ${ARG_USES} STENCIL_DEFINITIONS)
    list(APPEND includes ${used})
  endif()
  list(TRANSFORM includes PREPEND "-I" OUTPUT_VARIABLE includes_flags)
  set(outputs "")
  function(generate name source)
    set(LLVM_TARGET_DEFINITIONS "${include}/${ARG_FOLDER}/${source}.td")
    set(output "${generated}/${name}.inc")
    set(depends "")
    foreach(folder ${includes})
      file(GLOB definitions "${folder}/*/*.td")
      list(APPEND depends ${definitions})
    endforeach()
    add_custom_command(OUTPUT "${output}"
      COMMAND "${STENCIL_LLVM_PREFIX}/bin/mlir-tblgen" ${ARGN} ${includes_flags}
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
  if(EXISTS "${include}/${dialect}/${dialect}Interfaces.td")
    generate(${dialect}Interfaces.h ${dialect}Interfaces --gen-op-interface-decls)
    generate(${dialect}Interfaces.cpp ${dialect}Interfaces --gen-op-interface-defs)
  endif()
  add_library(${library} STATIC ${ARG_SOURCES} ${outputs})
  target_include_directories(${library} PUBLIC
    "$<BUILD_INTERFACE:${include};${CMAKE_CURRENT_BINARY_DIR}/include>")
  set_target_properties(${library} PROPERTIES STENCIL_DEFINITIONS "${include}")
  if(ARG_USES)
    target_link_libraries(${library} PUBLIC ${ARG_USES})
  endif()
  # Headers, generated ones among them, and definitions for others' tools.
  install(TARGETS ${library} EXPORT StencilTargets ARCHIVE DESTINATION lib)
  install(DIRECTORY "${include}/" "${CMAKE_CURRENT_BINARY_DIR}/include/" DESTINATION include
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc")
endfunction()
