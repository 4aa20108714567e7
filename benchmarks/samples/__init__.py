"""Files that the latency benchmarks type in. ASCII, so that every position encoding counts alike."""
