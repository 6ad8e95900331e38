# The rooms of the house and the arrows between them (ARCHITECTURE.md): one folder, one target, which sees only the
# folders that it is linked to. A header is included by its path from the top, so each room gets an include path of
# its own that holds nothing but itself; an include against the arrows does not compile.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost REQUIRED)
find_package(Threads REQUIRED)

# lockstep_see(TARGET FOLDER): the target and whoever is linked to it can include FOLDER.
function(lockstep_see target folder)
  set(root ${CMAKE_BINARY_DIR}/include/${target})
  get_filename_component(parent ${root}/${folder} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${root}/${folder} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${root})
endfunction()

# lockstep_room(NAME FOLDER SEES target ...): a static library of the folder's files, with the rooms below it.
function(lockstep_room name folder)
  cmake_parse_arguments(ARG "" "" "SEES" ${ARGN})
  if(folder STREQUAL checker)  # has rooms of its own inside
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  endif()
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(lockstep_${name} STATIC ${sources})
  lockstep_see(lockstep_${name} ${folder})
  target_link_libraries(lockstep_${name} PRIVATE lockstep_warnings PUBLIC ${ARG_SEES})
endfunction()

lockstep_room(base sim/base SEES fmt::fmt)
lockstep_room(lua51 sim/lua51 SEES lockstep_base PkgConfig::LUA54)
lockstep_room(redis sim/redis SEES lockstep_lua51)
lockstep_room(client sim/client SEES lockstep_redis)
lockstep_room(model sim/model SEES lockstep_client)
lockstep_room(world sim/world SEES lockstep_model)
lockstep_room(search checker/search SEES lockstep_base Boost::headers)
lockstep_room(naive checker/naive SEES lockstep_model)
lockstep_room(trace checker/trace SEES lockstep_naive)
lockstep_room(checker checker SEES lockstep_world lockstep_search lockstep_trace)
lockstep_room(scenarios scenarios SEES lockstep_checker nlohmann_json::nlohmann_json)
target_compile_definitions(lockstep_scenarios PRIVATE LOCKSTEP_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
lockstep_room(live live SEES lockstep_model)
target_link_libraries(lockstep_live PRIVATE PkgConfig::HIREDIS Threads::Threads)
lockstep_room(conform conform SEES lockstep_live)
lockstep_room(cli cli SEES lockstep_scenarios lockstep_conform lockstep_live CLI11::CLI11 Threads::Threads)
