# The targets mysql_collation::mysql_collation (shared) and mysql_collation::static.
get_filename_component(_mysql_collation_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET mysql_collation::mysql_collation)
  add_library(mysql_collation::mysql_collation SHARED IMPORTED)
  set_target_properties(mysql_collation::mysql_collation PROPERTIES
    IMPORTED_LOCATION "${_mysql_collation_prefix}/lib/libmysql_collation.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_mysql_collation_prefix}/include")
  add_library(mysql_collation::static STATIC IMPORTED)
  set_target_properties(mysql_collation::static PROPERTIES
    IMPORTED_LOCATION "${_mysql_collation_prefix}/lib/libmysql_collation.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_mysql_collation_prefix}/include"
    INTERFACE_LINK_LIBRARIES "pthread;dl;m")
endif()
unset(_mysql_collation_prefix)
