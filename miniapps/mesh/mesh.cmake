# Unstructured meshes on many ranks, and Airfoil's.

bellwether_library(mesh
  SOURCES
    device_memory.cpp
    airfoil/airfoil_arrays.cpp
    airfoil/airfoil_blocks.cpp
    airfoil/airfoil_calls.cpp
    airfoil/airfoil_connectivity.cpp
    airfoil/airfoil_coordinates.cpp
    airfoil/airfoil_files.cpp
    airfoil/airfoil_hdf5_file.cpp
    airfoil/airfoil_iteration.cpp
    airfoil/airfoil_iterations.cpp
    airfoil/airfoil_local.cpp
    airfoil/airfoil_mesh_checks.cpp
    airfoil/airfoil_reference_mesh.cpp
    airfoil/airfoil_text_file.cpp
    airfoil/not_a_knot_spline.cpp
    mesh/block_graph.cpp
    mesh/colouring.cpp
    mesh/cuthill_mckee.cpp
    mesh/distribute.cpp
    mesh/element_halo.cpp
    mesh/halo_step.cpp
    mesh/local_order.cpp
    mesh/loop_schedule.cpp
    mesh/loops.cpp
    mesh/mesh_parts.cpp
    mesh/ownership.cpp
    mesh/partition.cpp
    mesh/partition_rcb.cpp
    mesh/partition_scotch.cpp
    mesh/shared_file.cpp
    mesh/shared_text.cpp
  LINK bellwether::comm bellwether::kernels bellwether::models)
if(BellwetherScotch_FOUND)
  target_link_libraries(bellwether_mesh PRIVATE Bellwether::scotch)
endif()
set_source_files_properties(mesh/partition_scotch.cpp PROPERTIES
  COMPILE_DEFINITIONS BELLWETHER_WITH_SCOTCH=$<BOOL:${BellwetherScotch_FOUND}>)
if(BELLWETHER_WITH_HDF5)
  target_sources(bellwether_mesh PRIVATE airfoil/hdf5_file.cpp airfoil/hdf5_layout.cpp)
  target_link_libraries(bellwether_mesh PRIVATE PkgConfig::hdf5)
endif()
set_source_files_properties(airfoil/airfoil_hdf5_file.cpp PROPERTIES
  COMPILE_DEFINITIONS BELLWETHER_WITH_HDF5=$<BOOL:${BELLWETHER_WITH_HDF5}>)

bellwether_test(mesh_unit_test
  SOURCES
    airfoil/airfoil_blocks_test.cpp
    mesh/blocks_test.cpp
    mesh/colouring_test.cpp
    mesh/local_order_test.cpp
    mesh/loop_schedule_test.cpp
    mesh/loops_test.cpp
  LINK bellwether::mesh)
bellwether_test(mesh_test RANKS 1 2 3 4
  SOURCES
    airfoil/airfoil_files_test.cpp
    airfoil/airfoil_local_test.cpp
    airfoil/airfoil_reference_mesh_test.cpp
    mesh/distribute_test.cpp
    mesh/element_halo_test.cpp
    mesh/fetch_test.cpp
    mesh/partition_test.cpp
  LINK bellwether::mesh)
if(TARGET mesh_test AND BELLWETHER_WITH_HDF5)
  target_sources(mesh_test PRIVATE airfoil/airfoil_hdf5_test.cpp)
  target_link_libraries(mesh_test PRIVATE PkgConfig::hdf5)
endif()
