"""Matrix kernels, each beside a plain twin that a test holds it equal to."""
