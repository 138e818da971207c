import type { ExtensionState } from '@propusk/contract/extension';
import * as t from '@propusk/phrases/console';
import { formatMoment } from '../../ui/day.tsx';

/** Browser, version and last call of a user's extension, as a sentence. */
export const sayExtension = ({ agent, version, lastSeenAt }: ExtensionState): string =>
  t.users.extensionSeen(agent ?? t.sessions.unknownAgent, version, formatMoment(lastSeenAt));
