# SPDX-License-Identifier: MIT
"""For ReFrame: ranks on this machine's cores by Open MPI's mpirun, also as root and more than there are
cores. A start for a site that has no configuration of its own; a cluster's has its partitions instead,
with `slurm` for scheduler and `srun` for launcher."""

site_configuration = {
    "systems": [{
        "name": "this-machine",
        "hostnames": [".*"],
        "partitions": [{
            "name": "cores",
            "scheduler": "local",
            "launcher": "mpirun",
            "environs": ["installed"],
            "max_jobs": 1,  # one after the other: ReFrame else measures several at once
            # What mpirun's options --allow-run-as-root, --oversubscribe and --bind-to none say.
            "env_vars": [["OMPI_ALLOW_RUN_AS_ROOT", "1"],
                         ["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"],
                         ["OMPI_MCA_rmaps_base_oversubscribe", "1"],
                         ["OMPI_MCA_hwloc_base_binding_policy", "none"],
                         ["OMPI_MCA_mpi_yield_when_idle", "1"]]}]}],
    "environments": [{"name": "installed"}],
}
