"""Session files of coding agents: detect, read, check, heal."""
