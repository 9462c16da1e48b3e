<script src="/assets/form-answer.js" data-path="{{PATH}}" defer></script>
