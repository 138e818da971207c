/** A sentence of the specification that can be seen in the console. */
export interface Sentence {
  /** Section and place in it; a test that shows it has the tag `@id`. */
  readonly id: string;
  readonly says: string;
  /** Where we decided otherwise: what the console does instead. */
  readonly otherwise?: string;
}

/** The sections whose sentences are shown, in their order. */
export const sections: readonly { readonly title: string; readonly sentences: readonly Sentence[] }[] = [
  {
    title: '2. Screens and routes',
    sentences: [
      { id: '2.1', says: 'Auth area: dark shell, logo top left, form container at least 600 px wide' },
      { id: '2.2', says: 'Entering any auth route clears the stored auth error' },
      {
        id: '2.3',
        says: '/auth/login: email and password fields, a sign-in button, links to /auth/register and /auth/reset',
      },
      {
        id: '2.4',
        says: '/auth/register: name, company name, company site, email, password, repeat password, a checkbox agreeing to the personal-data policy, a link to its rules, a submit button, a link to /auth/login',
      },
      { id: '2.5', says: "/auth/reset: an email field, a button 'Отправить запрос', a link back to login" },
      {
        id: '2.6',
        says: '/auth/reset: submitting is not wired up',
        otherwise: 'it asks for a link, stores the email and goes to /security/check-email',
      },
      {
        id: '2.7',
        says: 'Routes security/check-email and security/login follow the auth flow; their content is not shown',
        otherwise: 'the first says that a mail was sent, the second is where its link leads',
      },
      {
        id: '2.8',
        says: '/dashboard requires a stored access token; without one it waits 1 second, then goes to /auth/login',
      },
      { id: '2.9', says: 'Header: the logo goes to dashboard/creator/domains' },
      { id: '2.10', says: 'Header: an ADMIN marker for admins' },
      {
        id: '2.11',
        says: 'Header: a knowledge-base button opens an external help page in a new tab',
        otherwise: 'the page is the guide that ships with the product',
      },
      {
        id: '2.12',
        says: "Header: an exit button opens a dialog 'Do you really want to leave the application?' (Yes / No)",
      },
      { id: '2.13', says: 'Side navigation depends on role; the content area hosts the routed screen' },
      { id: '2.14', says: 'The empty path redirects to /dashboard/creator/domains' },
      { id: '2.15', says: 'Any unknown path shows a page-not-found screen' },
      { id: '2.16', says: 'Creator: Sites, Server proxies, Access policies, Users, Company' },
      { id: '2.17', says: 'Admin: Companies, Users, Server proxies' },
      { id: '2.18', says: 'User: Personal data, Sites, Access policies' },
      {
        id: '2.19',
        says: "/dashboard/admin/proxies-default and /dashboard/admin/users are placeholders reading 'users-all works!'",
        otherwise: 'real tables: the platform’s own proxies, and everybody on the platform',
      },
      {
        id: '2.20',
        says: '/dashboard/admin/proxies and /dashboard/admin/politics both use the admin proxy table',
      },
      { id: '2.21', says: '/dashboard/creator/company: one company row with an actions menu (edit only)' },
      { id: '2.22', says: '/dashboard/creator/statistics and /dashboard/creator/tariff: placeholders' },
      { id: '2.23', says: '/dashboard/user/domains: read-only sites table, no create or edit' },
      {
        id: '2.24',
        says: '/dashboard/user/politics: policies table with create and an edit/delete menu',
        otherwise: 'only for a holder of CREATOR as well; a plain USER reads',
      },
      {
        id: '2.25',
        says: '/dashboard/user/personal-data: name, surname and email read-only, plus a password field; saving is not implemented',
        otherwise: 'the password is saved, and the email can be changed by a link',
      },
      { id: '2.26', says: '/dashboard/user/personal-data: form max width 800 px' },
      { id: '2.27', says: 'Lists: a title' },
      {
        id: '2.28',
        says: 'Lists: a Help button toggles an info panel (access policies give users access to specific sites)',
      },
      { id: '2.29', says: "Lists: an 'Добавить' button" },
      { id: '2.30', says: 'Lists: skeleton rows while loading' },
      { id: '2.31', says: 'Lists: pagination, page size 10' },
      { id: '2.32', says: 'Lists: an empty-table notice when the list is empty and not loading' },
      { id: '2.33', says: 'Lists: dates are shown as dd.MM.YYYY' },
      { id: '2.34', says: 'Lists: all column sorters are disabled' },
      {
        id: '2.35',
        says: "Admin companies, empty: 'Not found. Try refreshing the page or add an item'",
      },
      {
        id: '2.36',
        says: 'Users: name and surname with a mailto link, roles, policies, createdAt, updatedAt, actions',
      },
      {
        id: '2.37',
        says: "Users: roles show 'Админ' for admin, 'Агент' for user, 'Пользователь' otherwise",
      },
      { id: '2.38', says: "Users: the display name falls back to 'No name'" },
      { id: '2.39', says: 'Proxies (creator): host, type, port, createdAt, updatedAt, actions' },
      {
        id: '2.40',
        says: "Proxies: 'личный' when not default, 'стандартный' when default and not allSites, 'PRO' when default and allSites",
      },
      { id: '2.41', says: 'Proxies: default ones show an icon instead of a port and have no actions menu' },
      {
        id: '2.42',
        says: "Proxies, empty: 'Прокси серверы отсутствуют, Добавьте собственный прокси сервер или перейдите на платный тариф', with buttons for the paid tariff and a 30-day trial",
      },
      {
        id: '2.43',
        says: "Proxies: 'Добавить' and 'Добавить Платный'; the paid one opens a modal telling to contact the company manager",
      },
      {
        id: '2.44',
        says: "Proxies (admin): host, port, createdAt, updatedAt, company (name and site), settings (raw JSON), actions; default rows get a 'default' class",
      },
      { id: '2.45', says: 'Sites: address, policies (a tag per policy name), createdAt, updatedAt, actions' },
      {
        id: '2.46',
        says: "Policies: name, description (cut past 35 characters, with 'еще' / 'скрыть'), proxies (hosts), createdAt, updatedAt, actions",
      },
      { id: '2.47', says: 'Company: companyName, createdAt, updatedAt, actions' },
      {
        id: '2.48',
        says: 'Admin companies: name, created, updated, actions; row actions edit and delete',
      },
      {
        id: '2.49',
        says: "Onboarding: four slides, arrows wrapping around, dots, 'Understood!' closes it and marks it done",
      },
      {
        id: '2.50',
        says: 'Slides: add corporate sites; set up your site (.htaccess, staff can do it); browser extension; add staff and set access via policies',
      },
      {
        id: '2.51',
        says: 'Create user: name, surname, email, password, searchable multi-select of policies (filtered locally after 100 ms)',
      },
      {
        id: '2.52',
        says: "'Edit user': name, surname, email, password (only for holders of neither CREATOR nor ADMIN), policies with search",
      },
      { id: '2.53', says: 'Create and edit proxy: host, port, login, password' },
      {
        id: '2.54',
        says: 'Edit proxy hides login and password when the proxy is the default one',
        otherwise: 'the gateway itself hides them; an admin edits those of the platform’s other proxies',
      },
      { id: '2.55', says: 'Admin proxy edit: host, port, login, password, type, all-sites checkbox' },
      { id: '2.56', says: 'Create site: address plus policies multi-select' },
      {
        id: '2.57',
        says: 'Company create dialog: site address and save',
        otherwise: 'a name may be given too; without one it is the site',
      },
      { id: '2.58', says: 'Create policy: name, description, proxy select, users multi-select' },
      {
        id: '2.59',
        says: "'Использовать для всех сайтов' appears when the chosen proxy has settings.allSites",
      },
      {
        id: '2.60',
        says: "'Change company': host field and save (admin); company name and site (creator)",
        otherwise: 'both fields for both',
      },
      {
        id: '2.61',
        says: "Row menus: 'Редактировать' and 'Удалить'; user delete is hidden for holders of ADMIN or CREATOR",
      },
      {
        id: '2.62',
        says: 'Delete confirmations (Да / Нет): proxy, site, policy, user, word for word',
      },
      {
        id: '2.63',
        says: "Company delete asks 'Do you really want to delete the proxy?' and warns of the loss of all data",
        otherwise: "'… delete the company?': a wrong noun before a loss is dangerous",
      },
    ],
  },
  {
    title: '4. States and transitions',
    sentences: [
      {
        id: '4.1',
        says: 'Login or registration success: store the token, go to /dashboard/creator/domains',
        otherwise: 'or to the page that was asked for before',
      },
      { id: '4.2', says: 'The loading flag is on during auth calls' },
      { id: '4.3', says: 'The loading flag is off on success or error' },
      { id: '4.4', says: 'The current-user lookup is cached' },
      { id: '4.5', says: 'USER goes to dashboard/user/domains' },
      { id: '4.6', says: 'else ADMIN goes to dashboard/admin/companies' },
      {
        id: '4.7',
        says: 'else a user with neither CREATOR nor ADMIN is logged out: logout call, token cleared, auth/login, reload',
      },
      { id: '4.8', says: 'Creators stay' },
      { id: '4.9', says: 'If the lookup fails: clear the token and go to auth/login' },
      { id: '4.10', says: 'unless the URL has a hash query parameter or already contains auth' },
      { id: '4.11', says: 'Password request: store the email, go to security/check-email' },
      {
        id: '4.12',
        says: 'Password reset: clear the token, go to security/login',
        otherwise: '/security/login is where the link leads and the password is set; then on to login',
      },
      {
        id: '4.13',
        says: 'Email change: clear the token, go to security/login',
        otherwise: '/security/login is where the link leads and the change is confirmed; then on to login',
      },
      { id: '4.14', says: 'Logout: clear the token, go to auth/login, reload' },
      { id: '4.15', says: 'Onboarding opens on dashboard load if not marked done' },
      { id: '4.16', says: "'Understood!' closes it and marks it done" },
      { id: '4.17', says: 'The slide index wraps modulo 4' },
      { id: '4.18', says: 'List states: loading, empty, loaded', otherwise: 'and failed, with a retry' },
      { id: '4.19', says: 'After any create, edit or delete the list reloads' },
      { id: '4.20', says: 'A pagination page change reloads the list' },
      { id: '4.21', says: 'Help panels and policy descriptions expand and collapse' },
      { id: '4.22', says: 'The proxy edit form keeps the type on save and only lets allSites change' },
      {
        id: '4.23',
        says: 'The admin company list’s count is always 0 and its page index fixed at 10',
        otherwise: 'real pages',
      },
    ],
  },
  {
    title: '5. Validation rules',
    sentences: [
      {
        id: '5.1',
        says: 'Email: letters, digits and . _ % + - before the @; letters, digits, dots and hyphens, then a dot and 1 to 20 letters',
      },
      { id: '5.2', says: 'Password: at least 8 characters of any kind' },
      { id: '5.3', says: 'Login: email and password required and matching; submit disabled while invalid' },
      {
        id: '5.4',
        says: 'Registration: name min 3, company name min 5, company site min 5, email, password and repeat required and matching',
      },
      { id: '5.5', says: 'Registration: the terms checkbox must be true' },
      {
        id: '5.6',
        says: "Registration: if the passwords differ, a warning 'Ошибка проверки паролей', and nothing is sent",
      },
      {
        id: '5.7',
        says: 'Registration: the payload’s name is filled from the company name',
        otherwise: 'the name that was typed travels as ownerName',
      },
      { id: '5.8', says: 'Reset password: email required and matching' },
      {
        id: '5.9',
        says: 'User create: email and password required and matching; the rest optional; save disabled while invalid',
      },
      {
        id: '5.10',
        says: 'User edit: email required and matching; password required and matching when shown; others optional',
        otherwise: 'an untouched password stays what it is',
      },
      {
        id: '5.11',
        says: 'Proxy create and edit: host, port, username, password each required, min 4 characters',
        otherwise: 'the port is 1000 to 65535; on edit an untouched password stays what it is',
      },
      { id: '5.12', says: 'Policy create and edit: name required, min 4; proxy required' },
      { id: '5.13', says: 'Company edit: company name and site required' },
      {
        id: '5.14',
        says: 'Company create, site address: no validators',
        otherwise: 'the one field that names the company may not be empty',
      },
      {
        id: '5.15',
        says: 'No custom messages; only the disabled save button',
        otherwise: 'the field also says why, once it was touched',
      },
    ],
  },
  {
    title: '6. Roles and permissions',
    sentences: [
      {
        id: '6.1',
        says: "Roles: USER ('Агент'), CREATOR ('Пользователь'), ADMIN ('Админ'); a user may hold several",
      },
      { id: '6.2', says: 'Navigation is by role; the ADMIN marker shows for admins' },
      { id: '6.3', says: 'Redirect priority: USER, then ADMIN' },
      { id: '6.4', says: 'Users with none of CREATOR, ADMIN, USER are logged out' },
      {
        id: '6.5',
        says: 'Deleting a user and editing a user’s password are not offered for ADMIN or CREATOR holders',
      },
      { id: '6.6', says: 'Default proxies cannot be edited or deleted from the creator view' },
      {
        id: '6.7',
        says: 'The only route guard is a stored access token; role-based guards are not shown',
        otherwise: 'an area is open to the holders of its role; others are taken home',
      },
    ],
  },
  {
    title: '8. The error catalogue',
    sentences: [
      { id: '8.1', says: 'Login and registration failure: the server’s message in a warning alert' },
      { id: '8.2', says: "With no message the alert reads 'Ошибка на стороне сервера'" },
      { id: '8.3', says: 'Loading stops' },
      {
        id: '8.4',
        says: 'Other auth calls: error stored, nothing shown',
        otherwise: 'shown where it happened: what failed in silence would look done',
      },
      { id: '8.5', says: "Password mismatch at registration: alert 'Ошибка проверки паролей'" },
      { id: '8.6', says: 'Current-user failure: token cleared, go to auth/login' },
      { id: '8.7', says: 'No token on dashboard: redirect to login after 1000 ms' },
      {
        id: '8.8',
        says: "'Успешное создание!' (site create shows the address, proxy create shows the port)",
      },
      { id: '8.9', says: "'Успешное обновление!' (update)" },
      { id: '8.10', says: "'Успешное удаление!' (delete)" },
      { id: '8.11', says: 'Lists reload afterwards' },
      {
        id: '8.12',
        says: 'Failures of company, user and other calls: handling not shown',
        otherwise: 'the dialog stays with what was typed, the server’s message and its fields',
      },
    ],
  },
];
