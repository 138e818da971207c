import { ConfirmDialog, useQuestion } from './confirm.ts';

/** The place of `confirm()`'s dialog. Mounted once on every page that has a form or asks. */
export function Questions() {
  const open = useQuestion();
  return <ConfirmDialog open={open} opened={open !== null} onClose={() => open?.answer(false)} />;
}
