import { Anchor } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import { truncated } from './truncate.ts';

/** A long text, truncated, with a button that expands it. */
export function TruncatedText({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const short = truncated(text);
  if (short === undefined) return <span>{text}</span>;
  return (
    <span>
      {open ? text : short}{' '}
      <Anchor component="button" type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? t.common.less : t.common.more}
      </Anchor>
    </span>
  );
}
