"""Who arrived, who stayed, what was left out."""
