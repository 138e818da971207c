import type { Block } from '@propusk/phrases/console/texts';
import { Fragment } from 'react';
import classes from './blocks.module.css';

/** The parts of a chapter. */
export function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return blocks.map((block) => <One key={JSON.stringify(block)} block={block} />);
}

function One({ block }: { block: Block }) {
  if (typeof block === 'string') {
    return (
      <p className={classes.paragraph}>
        <Line text={block} />
      </p>
    );
  }
  if (block.kind === 'code') return <pre className={classes.pre}>{block.text}</pre>;
  if (block.kind === 'note') {
    return (
      <p className={classes.note}>
        <Line text={block.text} />
      </p>
    );
  }
  if (block.kind === 'terms') {
    return (
      <dl className={classes.terms}>
        {block.items.map(({ term, text }) => (
          <div key={term}>
            <dt>
              <Line text={term} />
            </dt>
            <dd>
              <Line text={text} />
            </dd>
          </div>
        ))}
      </dl>
    );
  }
  const List = block.kind === 'steps' ? 'ol' : 'ul';
  return (
    <List className={classes.list}>
      {block.items.map((item) => (
        <li key={item}>
          <Line text={item} />
        </li>
      ))}
    </List>
  );
}

/** A line in which words between backticks are code. */
function Line({ text }: { text: string }) {
  return text.split('`').map((part, place) => {
    const Part = place % 2 === 1 ? 'code' : Fragment;
    // oxlint-disable-next-line react/no-array-index-key -- words repeat, and their order never changes
    return <Part key={place}>{part}</Part>;
  });
}
