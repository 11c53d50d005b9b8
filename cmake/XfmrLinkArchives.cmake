# Programs that MLIR and LLVM are part of, for tools that load no plugins: at a
# fixed address, without the relocations of the shared libraries, they start in a
# third of the time.

# What the archives need besides LLVM's own must be there, and lld, which takes
# archives in any order, and links hundreds of megabytes in two seconds.
# Sanitizers keep the shared libraries, whose code they know to be foreign.
set(missing "")
get_target_property(dependencies LLVMSupport INTERFACE_LINK_LIBRARIES)
foreach(dependency ${dependencies})
  if((dependency MATCHES "::" AND NOT TARGET ${dependency}) OR
     (IS_ABSOLUTE "${dependency}" AND NOT EXISTS "${dependency}"))
    list(APPEND missing ${dependency})
  endif()
endforeach()
if(NOT XFMR_USES_LLD)
  list(APPEND missing "lld with clang")
endif()
if(missing OR XFMR_SANITIZERS)
  set(can_link OFF)
else()
  set(can_link ON)
endif()
if(missing)
  list(JOIN missing ", " missing)
  message(STATUS "xfmr-compile and xfmr-run will start slower, with LLVM's shared libraries: "
    "its archives need ${missing}, not found")
endif()
option(XFMR_LINK_ARCHIVES
  "Make MLIR and LLVM part of the tools that load no plugins, which start faster then"
  ${can_link})

# The libraries of every target that is not one of these programs.
set(XFMR_SHARED_MLIR "")
foreach(library MLIR LLVM)
  list(APPEND XFMR_SHARED_MLIR
    "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:XFMR_LINKS_ARCHIVES>>>:${library}>")
endforeach()

# xfmr_link_archives(<program>)
function(xfmr_link_archives name)
  set_property(TARGET ${name} PROPERTY XFMR_LINKS_ARCHIVES ON)
  # By file: MLIR's targets bring LLVM's shared library.
  set(archives "")
  get_property(libraries GLOBAL PROPERTY MLIR_ALL_LIBS)
  foreach(library ${libraries})
    get_target_property(type ${library} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND archives $<TARGET_FILE:${library}>)
    endif()
  endforeach()
  llvm_map_components_to_libnames(components ${LLVM_TARGETS_TO_BUILD}
    asmparser bitwriter core executionengine frontendopenmp frontendoffloading
    irreader jitlink linker orcjit passes perfjitevents target)
  target_link_libraries(${name} PRIVATE
    ${archives} ${components})
  target_link_options(${name} PRIVATE -no-pie -Wl,--gc-sections -Wl,--as-needed)
endfunction()
