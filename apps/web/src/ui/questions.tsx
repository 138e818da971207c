import { ConfirmDialog, useQuestion } from './confirm.ts';

/** Renders the dialog of `confirm()`. Every page that calls `confirm()` or has a form mounts it once. */
export function Questions() {
  const open = useQuestion();
  return <ConfirmDialog open={open} opened={open !== null} onClose={() => open?.answer(false)} />;
}
