"""Files of our own, baselines and reports: read strictly, checked value by value, written in one step."""
