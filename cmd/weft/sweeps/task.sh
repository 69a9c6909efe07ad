#!/bin/bash
# A task of a sweep. weft lab sweep --on slurm wrote this script and submits it as an array job.
# Slurm sends USR1 a minute before the time limit: the worker then ends, and the task goes on in a
# new run. If the worker was killed, for want of memory for instance, another one goes on at once.
# The file of attempts says at which cases a worker was killed: the third time it leaves the case
# out. After 20 runs the task gives up; the merge says what is missing.
attempts={{.Folder}}/$SLURM_ARRAY_TASK_ID-of-{{.Tasks}}.attempts
worker=
late=
trap 'late=yes; [ -z "$worker" ] || kill -TERM "$worker"' USR1
while true; do
  {{.Program}} lab sweep {{.Description}} --shard "$SLURM_ARRAY_TASK_ID/{{.Tasks}}" -o {{.Folder}} -j "${SLURM_CPUS_PER_TASK:-1}" --go-on {{.Options}} &
  worker=$!
  wait "$worker"
  status=$?
  if [ -n "$late" ]; then # the signal ended the first wait
    wait "$worker"
    status=$?
    [ "$status" = 0 ] || printf '\nended it was not over at the time limit of the task\n' >> "$attempts"
    break
  fi
  # A worker that ends by itself says so. One that died before its first case would die again.
  if [ "$(tail -n 1 "$attempts")" = stopped ] || ! grep -q '^begin ' "$attempts"; then break; fi
  printf '\nended the worker was killed, perhaps for want of memory: the task has %s MB\n' "${SLURM_MEM_PER_NODE:-?}" >> "$attempts"
  echo "task $SLURM_ARRAY_TASK_ID: its worker was killed, another one goes on"
done
if [ "$status" != 0 ] && { [ -n "$late" ] || [ "$status" = 137 ]; } && [ "${SLURM_RESTART_COUNT:-0}" -lt 20 ]; then
  echo "task $SLURM_ARRAY_TASK_ID: ended with status $status, goes on in a new run"
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
