# smx_add_static_tools(<name> TOOLS <tool>... SOURCES ... [LIBS ...])
# One program that holds several tools and needs no LLVM where it runs: their objects and the library are those of the
# ordinary build, linked with the archives of MLIR and LLVM. Not part of `all`.
#
# Every archive is offered and the linker takes what is reached, so a new component brings its dialects, passes and
# targets by itself. The imported targets can not be linked as such: their interfaces name the shared libraries too, and
# with both every option of LLVM is registered twice.
function(smx_add_static_tools name)
  cmake_parse_arguments(ARG "" "" "TOOLS;SOURCES;LIBS" ${ARGN})
  find_library(SMX_STATIC_ZLIB NAMES libz.a)
  find_library(SMX_STATIC_ZSTD NAMES libzstd.a)
  if(LLVM_USE_SANITIZER OR NOT SMX_STATIC_ZLIB OR NOT SMX_STATIC_ZSTD)
    message(STATUS "${name} is left out: it needs libz.a and libzstd.a, and a build without sanitizers")
    return()
  endif()

  set(archives)
  get_property(mlir_libraries GLOBAL PROPERTY MLIR_ALL_LIBS)
  foreach(library IN LISTS mlir_libraries LLVM_AVAILABLE_LIBS)
    if(TARGET ${library})
      get_target_property(type ${library} TYPE)
      get_target_property(file ${library} LOCATION)
      # Distributions leave some of the archives out that they list.
      if(type STREQUAL STATIC_LIBRARY AND EXISTS "${file}")
        list(APPEND archives "${file}")
      endif()
    endif()
  endforeach()
  # What the library is linked with, less the shared libraries that the archives stand for.
  get_target_property(libraries Smx INTERFACE_LINK_LIBRARIES)
  list(REMOVE_ITEM libraries MLIR LLVM)

  set(objects)
  set(table "")
  foreach(tool IN LISTS ARG_TOOLS)
    smx_add_tool_object(object ${tool})
    list(APPEND objects "${object}")
    string(MAKE_C_IDENTIFIER ${tool} id)
    string(APPEND table "SMX_TOOL(${id}, \"${tool}\")\n")
  endforeach()
  file(CONFIGURE OUTPUT Tools.inc CONTENT "${table}" @ONLY)

  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES} ${objects})
  target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
  add_dependencies(${name} Smx)
  target_link_libraries(${name} PRIVATE $<TARGET_FILE:Smx> ${ARG_LIBS} ${libraries} ${archives} "${SMX_STATIC_ZLIB}"
                                        "${SMX_STATIC_ZSTD}" m ${CMAKE_DL_LIBS})
  # The tables of initialisers are reached by __start_ and __stop_ alone, which does not keep them otherwise. An old
  # style path to the OpenMP runtime holds whatever LD_LIBRARY_PATH says.
  target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc LINKER:--as-needed LINKER:--gc-sections
                                      LINKER:-z,nostart-stop-gc LINKER:--disable-new-dtags)
  set_target_properties(${name} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib"
                                           LINK_DEPENDS "$<TARGET_FILE:Smx>")
endfunction()

# smx_add_tool_object(<variable> <tool>): one object with all of a tool's own code, in which `main` is `<tool>_main` and
# the static initialisers, which register its flags, are a table `<tool>_init` that nothing runs at the start: two tools
# may have flags of one name.
function(smx_add_tool_object variable tool)
  string(MAKE_C_IDENTIFIER ${tool} id)
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${tool}.o")
  add_custom_command(
    OUTPUT "${object}"
    COMMAND "${CMAKE_CXX_COMPILER}" -fuse-ld=lld -nostdlib -r -o "${object}" "$<TARGET_OBJECTS:${tool}>"
    COMMAND "${LLVM_TOOLS_BINARY_DIR}/llvm-objcopy" --redefine-sym main=${id}_main
            --rename-section .init_array=${id}_init,alloc,data --set-section-type .init_array=1 "${object}"
    DEPENDS "$<TARGET_OBJECTS:${tool}>"
    COMMENT "Linking the objects of ${tool}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${variable} "${object}" PARENT_SCOPE)
endfunction()
