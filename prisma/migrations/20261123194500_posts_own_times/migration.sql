-- Posts with a delivery later than the post's own time, for lists by time.
CREATE INDEX posts_own_times_idx ON posts (workspace_id, scheduled_at, id) WHERE requested @? '$.targets[*].scheduledAt';
