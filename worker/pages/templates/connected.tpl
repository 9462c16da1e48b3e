{{#MINE}}<p class="way"><a href="{{@SETTINGS}}">Settings</a></p>
<h1>Connected applications</h1>
{{/MINE}}{{#OF_ACCOUNT}}<p class="way"><a href="{{@SETTINGS}}">Settings</a></p>
<h1>Connected applications of <bdi>{{ACCOUNT}}</bdi></h1>
{{/OF_ACCOUNT}}{{#DONE_REVOKED}}<p class="notice" role="status">Access is revoked. The application can no longer use it, from this moment on.</p>
{{/DONE_REVOKED}}{{#EMPTY}}<p class="empty">No application is connected. When one asks you for access and you allow it, it is listed here, and you can end its access here.</p>
{{/EMPTY}}{{#FULL}}<p>These applications have the access that you allowed. You can end it whenever you want.</p>
{{/FULL}}{{#EMPTY_ACCOUNT}}<p class="empty">No application is connected to this account. When one of its owners or managers allows an application access, it is listed here.</p>
{{/EMPTY_ACCOUNT}}{{#FULL_ACCOUNT}}<p>{{CONNECTIONS}}: the access that users gave applications to this account. As an owner you can end it whenever you want.</p>
{{/FULL_ACCOUNT}}{{#LIST}}<ul class="list">
{{/LIST}}{{#GRANT}}<li><h2><bdi>{{CLIENT}}</bdi></h2>
{{#UNREADABLE}}<p class="problem">Its record is damaged, so it opens nothing. Revoke it; the application can ask for access again.</p>
{{/UNREADABLE}}{{#READABLE}}<p>{{#PERSON}}Connected by <strong><bdi>{{PERSON}}</bdi></strong> <span class="meta"><bdi>{{PERSON_EMAIL}}</bdi></span>{{/PERSON}}{{#OWN}}Has access to <strong><bdi>{{ACCOUNT}}</bdi></strong>{{/OWN}}{{#DEVELOPED}} <span class="meta">· an application of <bdi>{{DEVELOPER}}</bdi></span>{{/DEVELOPED}}{{#HOSTED}} <span class="meta">· <bdi>{{HOST}}</bdi></span>{{/HOSTED}}</p>
{{#BARRED}}<p><strong>Not in effect:</strong> {{WHY}}.</p>
{{/BARRED}}<ul>
{{#SCOPE}}<li>{{TITLE}} <span class="meta">– {{TEXT}}</span></li>
{{/SCOPE}}</ul>
<p class="meta">Connected <time datetime="{{SINCE_EXACT}}" title="{{SINCE_FULL}}">{{SINCE}}</time> · last used <time datetime="{{USED_EXACT}}" title="{{USED_FULL}}">{{USED}}</time></p>
{{/READABLE}}<p><a class="button" href="{{REVOKE}}">Revoke access<span class="unseen"> of {{CLIENT}}{{#OWN}} to {{ACCOUNT}}{{/OWN}}{{#PERSON}} on behalf of {{PERSON}}{{/PERSON}}</span></a></p></li>
{{/GRANT}}{{#LIST_END}}</ul>
{{/LIST_END}}{{#PAGES}}<nav aria-label="Pages"><p>Page {{NUMBER}} of {{LAST}}, the last used first{{#NEWER}} · <a href="{{PATH}}" rel="prev">Previous page</a>{{/NEWER}}{{#OLDER}} · <a href="{{PATH}}" rel="next">Next page</a>{{/OLDER}}</p></nav>
{{/PAGES}}
