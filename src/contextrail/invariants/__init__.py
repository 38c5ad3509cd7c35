"""What must hold of every turn, as named checks; hosts reach them through `contextrail.testing`."""
