"""What providers accept: codecs both ways, call ids, lint, repair, usage, model table."""
