# SPDX-License-Identifier: MIT
"""The knobs of kernels/launch/cuda/cuda_knobs.hpp that are tried, family by family: for each macro the
values beside its default; and the command's lines that measure a family, `microbench FILTER` or `run`."""

KNOBS = {
    "lbm": {"BELLWETHER_LBM_THREADS": (128, 512), "BELLWETHER_LBM_ROW_THREADS": (64, 128),
            "BELLWETHER_LBM_RESIDENT_F32": (512, 1280), "BELLWETHER_LBM_RESIDENT_F64": (768, 1024)},
    "diffusion": {"BELLWETHER_STAR_THREADS": (128, 512), "BELLWETHER_STAR_ROW_THREADS": (16, 64),
                  "BELLWETHER_STAR_PLANES": (8, 32), "BELLWETHER_STAR_TILES": (16, 64),
                  "BELLWETHER_STAR_RESIDENT": (768, 1536), "BELLWETHER_STAR_EVICT_FIRST": (0,)}}

MEASURED = {
    "lbm": [("microbench", "^lbm/f(32|64)/128/")],
    "diffusion": [("microbench", "^diffusion/f(32/384|64/256)/")]}
