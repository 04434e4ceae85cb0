# Unstructured meshes on many ranks, and Airfoil's.

bellwether_library(mesh
  SOURCES
    airfoil/airfoil_blocks.cpp
    airfoil/airfoil_connectivity.cpp
    airfoil/airfoil_coordinates.cpp
    airfoil/not_a_knot_spline.cpp
  LINK bellwether::comm bellwether::kernels bellwether::models)

bellwether_test(mesh_unit_test
  SOURCES
    airfoil/airfoil_blocks_test.cpp
    mesh/blocks_test.cpp
  LINK bellwether::mesh)
