import './page.css';
import './lib/early';

void import('./app'); // index.html has the browser load it at once
