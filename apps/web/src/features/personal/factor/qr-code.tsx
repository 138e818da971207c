import * as t from '@propusk/phrases/console';
import { renderSVG } from 'uqr';
import classes from './second-factor.module.css';

/** A text as a QR code, dark on light in both colour schemes: some cameras cannot read the inverse. */
export function QrCode({ text }: { text: string }) {
  const svg = renderSVG(text, { ecc: 'M', border: 4 });
  return (
    <img className={classes.qr} alt={t.factor.qr} src={`data:image/svg+xml,${encodeURIComponent(svg)}`} />
  );
}
