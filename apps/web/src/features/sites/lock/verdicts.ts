import type { Verdict } from '@propusk/contract/protection';
import {
  IconAlertTriangle,
  IconCloud,
  IconHelpCircle,
  IconLock,
  IconLockOpen,
  IconShieldCheck,
} from '@tabler/icons-react';
import type { OutcomeTone } from '../../../ui/outcome.tsx';

/** Icon and tone of each verdict. */
export const verdicts: Readonly<Record<Verdict, { tone: OutcomeTone; Icon: typeof IconCloud }>> = {
  protected: { tone: 'good', Icon: IconShieldCheck },
  open: { tone: 'bad', Icon: IconLockOpen },
  closed: { tone: 'bad', Icon: IconLock },
  down: { tone: 'warning', Icon: IconAlertTriangle },
  server_error: { tone: 'warning', Icon: IconAlertTriangle },
  cdn: { tone: 'warning', Icon: IconCloud },
  unknown: { tone: 'warning', Icon: IconHelpCircle },
};
