# smx_add_component(<Name> SOURCES... [DEPENDS ...])
# One folder of lib/: an object library `Smx<Name>` that becomes part of the one library `Smx`.
function(smx_add_component name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(Smx${name} OBJECT ${ARG_SOURCES})
  if(ARG_DEPENDS)
    add_dependencies(Smx${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY SMX_COMPONENTS Smx${name})
endfunction()

# smx_add_tool(<name> SOURCES...): a program linked with the library and LLVM's shared libraries.
function(smx_add_tool name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE Smx)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
