# The installed package: find_package(smx) gives smx::Smx (everything) and smx::SmxReference (no MLIR).
include(CMakePackageConfigHelpers)
set(SMX_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/smx")
install(TARGETS Smx SmxReference EXPORT SmxTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT SmxTargets NAMESPACE smx:: DESTINATION ${SMX_PACKAGE_DIR})
install(DIRECTORY include/smx "${CMAKE_BINARY_DIR}/include/smx" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)
# The loader for C headers with kernels.
install(DIRECTORY integration/c DESTINATION ${CMAKE_INSTALL_DATADIR}/smx)
# Tables of measured schedules, where the tools look for them; the build folder has them in the same place.
install(DIRECTORY integration/schedules DESTINATION ${CMAKE_INSTALL_DATADIR}/smx FILES_MATCHING PATTERN "*.json")
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/share/smx")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/integration/schedules" "${CMAKE_BINARY_DIR}/share/smx/schedules" SYMBOLIC)
configure_package_config_file(cmake/smxConfig.cmake.in "${CMAKE_BINARY_DIR}/cmake/smxConfig.cmake"
                              INSTALL_DESTINATION ${SMX_PACKAGE_DIR})
write_basic_package_version_file("${CMAKE_BINARY_DIR}/cmake/smxConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/cmake/smxConfig.cmake" "${CMAKE_BINARY_DIR}/cmake/smxConfigVersion.cmake"
        DESTINATION ${SMX_PACKAGE_DIR})
