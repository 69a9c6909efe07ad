#!/bin/bash
# A task of a sweep. weft lab sweep --on slurm wrote this script and submits it as an array job.
# Slurm sends USR1 a minute before the time limit: the worker then ends, and the task goes on in a
# new run. So does a task whose worker was killed, for want of memory for instance. After 20 runs the
# task gives up; the merge says what is missing.
{{.Program}} lab sweep {{.Description}} --shard "$SLURM_ARRAY_TASK_ID/{{.Tasks}}" -o {{.Folder}} -j "${SLURM_CPUS_PER_TASK:-1}" {{.Options}} &
worker=$!
late=
trap 'late=yes; kill -TERM "$worker"' USR1
wait "$worker"
status=$?
if [ -n "$late" ]; then # the signal ended the first wait
  wait "$worker"
  status=$?
fi
if [ "$status" != 0 ] && { [ -n "$late" ] || [ "$status" = 137 ]; } && [ "${SLURM_RESTART_COUNT:-0}" -lt 20 ]; then
  echo "task $SLURM_ARRAY_TASK_ID: ended with status $status, goes on in a new run"
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
