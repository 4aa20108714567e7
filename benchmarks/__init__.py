"""Measurements of Sfumato through its public surfaces: quality, latency, overhead. Nothing imports this package."""
