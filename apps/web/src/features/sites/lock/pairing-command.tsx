import type { VantagePairing } from '@propusk/contract/vantages';
import * as t from '@propusk/phrases/console';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { formatMoment } from '../../../ui/day.tsx';
import code from './snippets.module.css';
import classes from './vantages-view.module.css';

/** Runs the waiting probes every half hour, also after a restart of the machine. */
const CRON = '*/30 * * * * sh $HOME/vantage.sh once >/dev/null 2>&1';

/** The command that makes a machine a vantage; after that, the line that keeps it one. */
export function PairingCommand({ pairing, paired }: { pairing: VantagePairing; paired: boolean }) {
  return paired ? (
    <Lines title={t.vantages.cron} text={CRON} copy={t.vantages.copyCron} />
  ) : (
    <div>
      <Lines title={t.vantages.command} text={pairing.command} copy={t.vantages.copy} />
      <p className={classes.seen}>{t.vantages.commandHint(formatMoment(pairing.expiresAt))}</p>
    </div>
  );
}

function Lines({ title, text, copy }: { title: string; text: string; copy: string }) {
  return (
    <section className={code.code} aria-label={title}>
      <header>
        <span>{title}</span>
        <CopyButton value={text} label={copy} />
      </header>
      <pre>{text}</pre>
    </section>
  );
}
