import './theme/mantine.ts';
import './theme/global.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followOtherTabs } from './api/token.ts';
import { AUTH_AREA } from './paths.ts';
import { router } from './router.tsx';

// Before the first paint, so that the dark area does not flash white.
document.documentElement.dataset.mantineColorScheme = window.location.pathname.startsWith(AUTH_AREA)
  ? 'dark'
  : 'light';

followOtherTabs();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
