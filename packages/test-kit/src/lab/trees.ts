import { page, type Tree } from './layout.ts';

/** Trees of pages and files in the shape of usual products. Some URLs are linked, others only exist. */

const file = (title: string) => `${title}\n`;

export const wordpress: Tree = {
  '/': page(
    'Новости компании',
    '/wp-content/themes/corp/style.css',
    '/wp-includes/js/jquery/jquery.min.js',
    '/wp-content/uploads/2026/03/team.jpg',
    '/wp-content/uploads/2026/03/price.pdf',
    '/about/',
    '/contacts/',
  ),
  '/about/': page('О компании', '/wp-content/uploads/2026/04/office.png', '/'),
  '/contacts/': page('Контакты', '/wp-content/themes/corp/map.js', '/'),
  '/wp-admin/': page('Вход', '/wp-admin/css/login.css'),
  '/wp-admin/css/login.css': file('body{}'),
  '/wp-content/themes/corp/style.css': file('body{color:#222}'),
  '/wp-content/themes/corp/map.js': file('var map;'),
  '/wp-includes/js/jquery/jquery.min.js': file('var jQuery;'),
  '/wp-content/uploads/2026/03/team.jpg': file('JPEG'),
  '/wp-content/uploads/2026/03/price.pdf': file('%PDF'),
  '/wp-content/uploads/2026/03/salary.pdf': file('%PDF'),
  '/wp-content/uploads/2026/04/office.png': file('PNG'),
  '/robots.txt': 'User-agent: *\nDisallow: /wp-admin/\nSitemap: {origin}/sitemap.xml\n',
  '/sitemap.xml':
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' +
    '<url><loc>{origin}/about/</loc></url><url><loc>{origin}/contacts/</loc></url></urlset>\n',
};

export const bitrix: Tree = {
  '/': page(
    'Портал',
    '/bitrix/templates/main/styles.css',
    '/bitrix/js/main/core/core.js',
    '/bitrix/templates/main/images/logo.png',
    '/upload/iblock/1a2/photo.jpg',
    '/upload/docs/tariff.pdf',
    '/catalog/',
    '/company/',
  ),
  '/catalog/': page('Каталог', '/upload/iblock/1a2/photo.jpg', '/upload/docs/full.zip', '/'),
  '/company/': page('Компания', '/upload/docs/tariff.pdf', '/'),
  '/bitrix/admin/': page('Администрирование', '/bitrix/templates/main/styles.css'),
  '/bitrix/templates/main/styles.css': file('body{}'),
  '/bitrix/templates/main/images/logo.png': file('PNG'),
  '/bitrix/js/main/core/core.js': file('var BX;'),
  '/upload/iblock/1a2/photo.jpg': file('JPEG'),
  '/upload/docs/tariff.pdf': file('%PDF'),
  '/upload/docs/full.zip': file('PK'),
  '/upload/docs/contract-17.pdf': file('%PDF'),
  '/robots.txt': 'User-Agent: *\nDisallow: /bitrix/admin/\nDisallow: /*?sort=\n',
};

/** The publication of a 1C database below `/base/`, and the first page of the server. */
export const publication: Tree = {
  '/': page('Сервер предприятия', '/logo.png'),
  '/logo.png': file('PNG'),
  '/base/': page(
    '1С:Предприятие',
    '/base/scripts/mod_main.js?sysver=8.3.25',
    '/base/css/main.css',
    '/base/e1cib/start.png',
    '/base/ru/',
  ),
  '/base/ru/': page('1С:Предприятие', '/base/scripts/mod_main.js', '/base/e1cib/lang.png'),
  '/base/scripts/mod_main.js': file('var main;'),
  '/base/css/main.css': file('body{}'),
  '/base/e1cib/start.png': file('PNG'),
  '/base/e1cib/lang.png': file('PNG'),
  '/base/odata/metadata.xml': '<?xml version="1.0"?><metadata/>\n',
  '/base/ws/exchange.xml': '<?xml version="1.0"?><definitions/>\n',
};

/** phpMyAdmin below `/phpmyadmin/`. */
export const phpMyAdmin: Tree = {
  '/phpmyadmin/': page(
    'phpMyAdmin',
    '/phpmyadmin/themes/pmahomme/css/theme.css',
    '/phpmyadmin/js/dist/main.js',
    '/phpmyadmin/favicon.ico',
    '/phpmyadmin/doc/html/index.html',
  ),
  '/phpmyadmin/themes/pmahomme/css/theme.css': file('body{}'),
  '/phpmyadmin/js/dist/main.js': file('var Functions;'),
  '/phpmyadmin/favicon.ico': file('ICO'),
  '/phpmyadmin/doc/html/index.html': page('Documentation', '/phpmyadmin/'),
  '/phpmyadmin/sql/create_tables.sql': file('CREATE TABLE'),
};

/** A single-page application with an interface below `/api/`. */
export const singlePage: Tree = {
  '/': page(
    'Кабинет',
    '/assets/index-4f2a1c.js',
    '/assets/index-9b1e.css',
    '/assets/inter.woff2',
    '/favicon.ico',
    '/manifest.webmanifest',
    '/api/catalog.json',
  ),
  '/assets/index-4f2a1c.js': file('import "./report-77.js"'),
  '/assets/report-77.js': file('export {}'),
  '/assets/index-9b1e.css': file('body{}'),
  '/assets/inter.woff2': file('wOF2'),
  '/favicon.ico': file('ICO'),
  '/manifest.webmanifest': file('{}'),
  '/api/catalog.json': file('[]'),
  '/api/people.json': file('[]'),
};

/** A share of files with a list of them. */
export const share: Tree = {
  '/': page('Обменник', '/files/', '/files/2026/act.pdf', '/files/2026/plan.zip', '/style.css'),
  '/style.css': file('body{}'),
  '/files/': page('Файлы', '/files/2026/act.pdf', '/files/2026/plan.zip', '/files/video/lecture.mp4'),
  '/files/2026/act.pdf': file('%PDF'),
  '/files/2026/plan.zip': file('PK'),
  '/files/2026/staff.xlsx': file('PK'),
  '/files/video/lecture.mp4': file('ftyp'),
};

/** An application of an office, with pages, static files and uploads. */
export const office: Tree = {
  '/': page(
    'Сделки',
    '/static/app.css',
    '/static/app.js',
    '/static/img/logo.svg',
    '/media/scan.pdf',
    '/deals/',
    '/reports/',
  ),
  '/deals/': page('Все сделки', '/deals/list.html', '/media/scan.pdf', '/'),
  '/deals/list.html': page('Список', '/deals/'),
  '/reports/': page('Отчёты', '/reports/files/year.xlsx', '/reports/files/year.pdf', '/'),
  '/reports/files/year.xlsx': file('PK'),
  '/reports/files/year.pdf': file('%PDF'),
  '/static/app.css': file('body{}'),
  '/static/app.js': file('var app;'),
  '/static/img/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
  '/media/scan.pdf': file('%PDF'),
  '/media/passport.jpg': file('JPEG'),
};
