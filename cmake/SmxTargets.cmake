# Most of a compilation is spent on templates and inline functions of MLIR, which sources of a folder have in common.
set(SMX_SOURCES_AT_ONCE 16 CACHE STRING "Sources of a folder that are compiled as one; 1: each by itself, so that an edit compiles less")

# smx_compile_at_once(<target> [ALONE <source>...]): all sources of a target but these, some at a time. Sources stand alone that
# open a namespace whose names the others have, too.
function(smx_compile_at_once target)
  cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
  if(SMX_SOURCES_AT_ONCE GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${SMX_SOURCES_AT_ONCE})
    set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# smx_add_component(<Name> SOURCES... [DEPENDS ...] [HEADERS <what is precompiled>|NONE] [ALONE <source>...])
# One folder of lib/: an object library `Smx<Name>` that becomes part of the one library `Smx`.
function(smx_add_component name)
  cmake_parse_arguments(ARG "" "HEADERS" "SOURCES;DEPENDS;ALONE" ${ARGN})
  add_library(Smx${name} OBJECT ${ARG_SOURCES})
  smx_compile_at_once(Smx${name} ALONE ${ARG_ALONE})
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS SmxHeaders)
  endif()
  if(NOT ARG_HEADERS STREQUAL NONE)
    smx_use_headers(Smx${name} ${ARG_HEADERS})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(Smx${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY SMX_COMPONENTS Smx${name})
endfunction()

# smx_add_tool(<name> SOURCES...): a program linked with the library and LLVM's shared libraries.
function(smx_add_tool name)
  add_executable(${name} ${ARGN})
  smx_use_headers(${name} SmxHeaders)
  target_link_libraries(${name} PRIVATE Smx)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
