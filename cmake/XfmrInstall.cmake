# Installs the libraries, tools, headers and the CMake package `Xfmr`. Included
# last: the lists of libraries and tools are complete then.
include(CMakePackageConfigHelpers)

get_property(XFMR_LIBRARIES GLOBAL PROPERTY XFMR_LIBRARIES)
get_property(XFMR_TOOLS GLOBAL PROPERTY XFMR_TOOLS)
install(TARGETS ${XFMR_LIBRARIES} ${XFMR_TOOLS} EXPORT XfmrTargets)
install(DIRECTORY include/xfmr ${CMAKE_BINARY_DIR}/include/xfmr
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)

set(XFMR_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/xfmr)
install(EXPORT XfmrTargets NAMESPACE Xfmr:: DESTINATION ${XFMR_PACKAGE_DIR})
configure_package_config_file(cmake/XfmrConfig.cmake.in ${CMAKE_BINARY_DIR}/XfmrConfig.cmake
  INSTALL_DESTINATION ${XFMR_PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/XfmrConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/XfmrConfig.cmake ${CMAKE_BINARY_DIR}/XfmrConfigVersion.cmake
  DESTINATION ${XFMR_PACKAGE_DIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
