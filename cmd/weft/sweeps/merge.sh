#!/bin/bash
# Merges the parts of a sweep. weft lab sweep --on slurm wrote this script.
exec {{.Program}} lab merge {{.Folder}} -o {{.Output}} {{.Wait}}
