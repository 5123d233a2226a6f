#!/bin/bash
# A worker per task of an array job: sbatch --array=1-50 slurm.sh
# DISSENSUS_STORE names the store; what libpq reads (PGPASSFILE, PGSERVICEFILE) is passed on.
#SBATCH --job-name=dissensus
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --time=12:00:00
#SBATCH --signal=B:TERM@60
#SBATCH --export=ALL
set -eu
# exec: the signal before the end of the time goes to the worker, which hands in what it has and ends.
exec dissensus work "${DISSENSUS_STORE:?the URL of the store}" --jobs "${SLURM_CPUS_PER_TASK:-1}" --idle 600
