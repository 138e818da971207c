import { AccessRecords } from '../../apps/gateway/src/records/access-records.ts';

/** Loaded into a gateway before it starts. Tunnels and requests then have no records, like those of a probe. */
AccessRecords.prototype.open = () => null;
