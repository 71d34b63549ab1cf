ALTER TABLE "credentials" ADD COLUMN     "renew_at" TIMESTAMPTZ(3);

-- When a credential is due for renewal, which also depends on its connection. `renewal_lead` is the domain's
-- `renewalLeadMs`; the jitter of up to a fifth varies by connection, so that accounts connected together are
-- not renewed together.
CREATE FUNCTION renewal_lead(access_expires_at timestamptz, renewed_at timestamptz) RETURNS interval LANGUAGE sql IMMUTABLE AS $$
  SELECT LEAST(GREATEST((access_expires_at - renewed_at) / 10, interval '30 seconds'), interval '7 days',
    (access_expires_at - renewed_at) / 2)
$$;
CREATE FUNCTION renewal_due_at(c credentials) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT greatest(c.next_attempt_at, c.access_expires_at - CASE WHEN n.expires_at IS NULL
    THEN renewal_lead(c.access_expires_at, c.renewed_at) * (1 + abs(hashtext(c.connection_id)::bigint) % 1000 / 5000.0)
    ELSE interval '0' END)
  FROM connections n
  WHERE n.workspace_id = c.workspace_id AND n.id = c.connection_id
    AND n.status <> 'needs_reauth' AND n.deleted_at IS NULL AND c.access_expires_at IS NOT NULL
$$;
CREATE FUNCTION credential_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.renew_at := renewal_due_at(NEW);
  RETURN NEW;
END
$$;
-- Waits for a transaction that changes the credential, and then decides by its values: the change of the
-- connection is visible here, and not there.
CREATE FUNCTION renewability_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE credentials c SET renew_at = renewal_due_at(c) WHERE c.workspace_id = NEW.workspace_id AND c.connection_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER credentials_renew_at BEFORE INSERT OR UPDATE OF access_expires_at, renewed_at, next_attempt_at ON credentials
  FOR EACH ROW EXECUTE FUNCTION credential_changed();
CREATE TRIGGER connections_renewability AFTER UPDATE OF status, expires_at, deleted_at ON connections FOR EACH ROW
  WHEN ((OLD.status = 'needs_reauth', OLD.expires_at IS NULL, OLD.deleted_at IS NULL)
    IS DISTINCT FROM (NEW.status = 'needs_reauth', NEW.expires_at IS NULL, NEW.deleted_at IS NULL))
  EXECUTE FUNCTION renewability_changed();
CREATE INDEX credentials_renewal_idx ON credentials (renew_at) WHERE renew_at IS NOT NULL;

UPDATE credentials c SET renew_at = renewal_due_at(c) WHERE c.access_expires_at IS NOT NULL;
DROP INDEX credentials_ending_idx;
