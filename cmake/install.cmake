# What `cmake --install` and CPack put where: the program with its protocols, scenarios and documents; its manual page
# and completions, made by itself; and for those who build on it the rooms `sim` and `checker`, as a CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The manual page and the completions say what the program itself says of its flags.
set(reference ${CMAKE_BINARY_DIR}/reference)
set(made ${reference}/lockstep.1.gz ${reference}/changelog.gz)
add_custom_command(OUTPUT ${made} ${reference}/lockstep ${reference}/_lockstep ${reference}/lockstep.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${reference}
  COMMAND $<TARGET_FILE:lockstep> man | gzip -9n > ${reference}/lockstep.1.gz
  COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/cmake/changelog.debian > ${reference}/changelog.gz
  COMMAND $<TARGET_FILE:lockstep> completion bash > ${reference}/lockstep
  COMMAND $<TARGET_FILE:lockstep> completion zsh > ${reference}/_lockstep
  COMMAND $<TARGET_FILE:lockstep> completion fish > ${reference}/lockstep.fish
  DEPENDS lockstep ${CMAKE_SOURCE_DIR}/cmake/changelog.debian VERBATIM)
add_custom_target(reference DEPENDS ${made})

# The targets `lockstep` and `reference` are built before; with all of them the tests would be.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)

install(TARGETS lockstep)
foreach(shown protocols scenarios templates)
  install(DIRECTORY ${shown} DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep
          PATTERN "*.cpp" EXCLUDE PATTERN "*.hpp" EXCLUDE)
endforeach()
install(FILES docs/guide.md DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep/docs)  # `lockstep learn` reads it
install(FILES docs/zh/guide.md DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep/docs/zh)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES cmake/copyright ${reference}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES cmake/copyright ${reference}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR}-dev COMPONENT development)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${reference}/lockstep.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${reference}/lockstep DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${reference}/_lockstep DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${reference}/lockstep.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# find_package(lockstep): lockstep::sim is the world, lockstep::checker the engine; examples/embed uses both.
add_library(lockstep_sim INTERFACE)
target_link_libraries(lockstep_sim INTERFACE lockstep_world)
set(rooms base lua51 keyspace redis client model world search naive trace checker)
foreach(room sim ${rooms})
  set_target_properties(lockstep_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS lockstep_${room} EXPORT lockstep COMPONENT development INCLUDES DESTINATION
          ${CMAKE_INSTALL_INCLUDEDIR}/lockstep)
endforeach()
install(DIRECTORY sim checker DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lockstep COMPONENT development
        FILES_MATCHING PATTERN "*.hpp")
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)
install(EXPORT lockstep NAMESPACE lockstep:: DESTINATION ${config} FILE lockstep-targets.cmake COMPONENT development)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/lockstep-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/lockstep-config.cmake ${CMAKE_BINARY_DIR}/lockstep-config-version.cmake DESTINATION ${config}
        COMPONENT development)

# tools/package.sh makes the packages: `lockstep` and `lockstep-dev`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The lockstep maintainers <maintainers@users.noreply.a-seed-ce0bce33.example>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME lockstep)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "simulator and model checker for lock protocols on Redis
The exact Redis scripts of a lock run against a fake keyspace with
clocks, partitions, crashes, pauses and failovers that are under control;
every order of events is tried, and the shortest run in which the lock
fails is shown.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME lockstep-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "liblua5.4-dev, libfmt-dev, libboost-dev, pkg-config")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "model checker for lock protocols on Redis (development files)
The world and the engine of lockstep as static libraries, with a package
for CMake.")
include(CPack)
