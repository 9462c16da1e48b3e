<script src="/assets/deliberate.js"></script>
<h1>Revoke the access of <bdi>{{CLIENT}}</bdi>?</h1>
{{#UNREADABLE}}<p>Its record is damaged, so it opens nothing. To give the application access again, start from there.</p>
{{/UNREADABLE}}{{#READABLE}}{{#OWN}}<p>It can no longer use <strong><bdi>{{ACCOUNT}}</bdi></strong> on your behalf: all its tokens end immediately, and it stops working for you. The access that other users allowed is not affected.</p>
{{/OWN}}{{#PERSON}}<p>It can no longer use <strong><bdi>{{ACCOUNT}}</bdi></strong> on behalf of <strong><bdi>{{PERSON}}</bdi></strong> <span class="meta"><bdi>{{PERSON_EMAIL}}</bdi></span>: all its tokens end immediately, and it stops working for this user. The access that other users allowed is not affected.</p>
{{/PERSON}}<ul>
{{#SCOPE}}<li>{{TITLE}} <span class="meta">– {{TEXT}}</span></li>
{{/SCOPE}}</ul>
<p class="meta">Connected <time datetime="{{SINCE_EXACT}}" title="{{SINCE_FULL}}">{{SINCE}}</time> · last used <time datetime="{{USED_EXACT}}" title="{{USED_FULL}}">{{USED}}</time></p>
<p>{{#OWN}}To give it access again, start from the application.{{/OWN}}{{#PERSON}}This user can give it access again, as long as they are an owner or manager of the account.{{/PERSON}}</p>
{{/READABLE}}<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="danger">Revoke access</button>
<a class="button" href="{{BACK}}">Keep it</a></p>
</form>
