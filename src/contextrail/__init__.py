"""contextrail decides, for every model request of an agent, exactly what the model sees."""
