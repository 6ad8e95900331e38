# find_package(lockstep): the libraries that its rooms are linked to.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(Boost)
find_dependency(PkgConfig)
pkg_check_modules(LUA54 REQUIRED IMPORTED_TARGET lua5.4)
include(${CMAKE_CURRENT_LIST_DIR}/lockstep-targets.cmake)
