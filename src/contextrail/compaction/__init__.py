"""What replaces a span of history: where it may be cut, what is pinned, the summary, and whether it is true."""
